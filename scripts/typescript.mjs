// The compiler, loaded by require: an import reads its nine megabytes a second time, for the names of the exports.
import { createRequire } from 'node:module';

export default createRequire(import.meta.url)('typescript');
