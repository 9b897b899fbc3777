import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest files, in order. One that began last would keep the other processors waiting. */
const longest = [
  'test/property/confused-replies.test.ts',
  'test/property/linear-time.test.ts',
  'test/scripts/generate.test.ts',
  'test/cli/coding/load-again.test.ts',
  'test/package/package.test.ts',
  'test/cli/coding/edits/yaml.test.ts',
  'test/call/sockets.test.ts',
  'test/cli/coding/interrupted.test.ts',
  'test/cli/coding/bad-input.test.ts',
  'test/call/reply-bounds.test.ts',
  'test/validation/validators.test.ts',
  'test/property/secrets.test.ts',
  'test/cli/coding/edits/toml.test.ts',
  'test/property/tool-schema.test.ts',
  'test/cli/accounts/accounts.test.ts',
  'test/cli/chat/conversations.test.ts',
  'test/cli/chat/mcp.test.ts',
  'test/cli/coding/edits/json.test.ts',
  'test/cli/accounts/writers.test.ts',
  'test/scripts/chaos.test.ts',
];

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((file) => moduleId.endsWith(file));
  return rank < 0 ? longest.length : rank;
}

/** The order of the files in a run. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}
