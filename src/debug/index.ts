/** A log of calls, and requests as curl commands: entry `modelsvc/debug`. */
export { type CurlOptions, toCurl } from './curl.ts';
export { type DebugOptions, debugHook } from './hook.ts';
export type { DebugContent } from './lines.ts';
