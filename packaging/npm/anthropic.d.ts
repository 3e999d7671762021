import type { Techo } from './index.js'

/** The tools with these names, or else those of a profile (core). */
export declare function tools(techo: Techo, options?: { names?: string[]; profile?: string }): Promise<any[]>

/** The memory tool (`memory_20250818`) over the memory files of techo's user. A command that cannot
 * be done is a ToolError with the documented text. A server, if the calls go to one, needs
 * `--memory-tool`. */
export declare function memoryTool(techo: Techo, extraProps?: object): any
