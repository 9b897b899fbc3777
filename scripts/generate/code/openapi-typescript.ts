// By require, as the compiler in scripts/typescript.mjs: as a module it would import the compiler.
import { createRequire } from 'node:module';

export const { default: openapiTS, astToString } = createRequire(import.meta.url)('openapi-typescript') as typeof import('openapi-typescript');
