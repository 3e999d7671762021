import type { Techo } from './index.js'

/** The tools with these names, or else those of a profile (core). */
export declare function tools(techo: Techo, options?: { names?: string[]; profile?: string }): Promise<Record<string, any>>
