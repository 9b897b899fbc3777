// The document of the spec. Test files that share a process read it once: parsing takes longer than most of them.
import { fileURLToPath } from 'node:url';
import { loadYaml, type Source } from '../../scripts/generate/document/source.ts';

export const openapi: Source = await loadYaml(fileURLToPath(new URL('../../spec/openapi.yaml', import.meta.url)));
