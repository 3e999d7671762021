// Times calls by turns: as a plain process, through the module, and with one process for many.
//
//   node modules.mjs MODULE PROGRAM STORE ROUNDS
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const [module, program, store, rounds] = process.argv.slice(2)
const { Techo } = await import(module)
const fields = { memo_name: 'ramen' }
const one = new Techo({ program, store })
const many = new Techo({ program, store, batch: true })
const ways = {
  plain: () => promisify(execFile)(program, ['call', 'get_memo', JSON.stringify(fields), '--store', store]),
  module: () => one.call('get_memo', fields),
  batch: () => many.call('get_memo', fields),
}
const took = { plain: [], module: [], batch: [] }
for (let i = 0; i < Number(rounds); i++) {
  const names = Object.keys(ways)
  for (const name of i % 2 ? names.reverse() : names) {
    const began = process.hrtime.bigint()
    await ways[name]()
    took[name].push(Number(process.hrtime.bigint() - began))
  }
}
await many.close()
console.log(JSON.stringify(took))
