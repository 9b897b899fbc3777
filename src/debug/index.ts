/** A log of calls, and requests as curl commands: entry `modelsvc/debug`. */
export { type CurlOptions, toCurl } from './curl.ts';
export { type DebugContent, type DebugOptions, debugHook } from './hook.ts';
