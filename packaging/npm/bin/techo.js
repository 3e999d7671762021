#!/usr/bin/env node
import { spawnSync } from 'node:child_process'

import { program } from '../index.js'

const { status, signal, error } = spawnSync(program(), process.argv.slice(2), { stdio: 'inherit' })
if (error) throw error
if (signal) process.kill(process.pid, signal)
process.exitCode = status ?? 1
