import { describe, test } from 'vitest';
import { sanitizeToolSchemas as sanitize } from '../../src/overlay/tool-schema.ts';
import { expectLinear, sizesUpTo } from './linear-time/growth.ts';
import { hostileSchemas } from './linear-time/schemas.ts';

describe('rewriting a schema', () => {
  test.each(Object.entries(hostileSchemas))('%s', { timeout: 120_000 }, async (_, schemaOf) => {
    await expectLinear((size) => {
      const schema = schemaOf(size);
      return () => sanitize([{ type: 'function', function: { name: 'f', parameters: schema } }]);
    }, sizesUpTo(16_000));
  });
});
