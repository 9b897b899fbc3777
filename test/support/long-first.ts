import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest files, in order. One that began last would keep the other processors waiting. */
export const longest = [
  'test/property/confused-replies.test.ts',
  'test/scripts/generate.test.ts',
  'test/call/warm-sockets.test.ts',
  'test/package/package.test.ts',
  'test/call/reply-bounds.test.ts',
  'test/property/linear-time.test.ts',
  'test/cli/every-command.test.ts',
  'test/docs/fences.test.ts',
  'test/examples/many-workers.test.ts',
  'test/call/sockets.test.ts',
  'test/observe/exits.test.ts',
  'test/cli/accounts/writers.test.ts',
  'test/cli/coding/other-writers.test.ts',
  'test/fetch/every-fault.test.ts',
  'test/cli/coding/interrupted.test.ts',
  'test/property/tool-schema.test.ts',
  'test/call/early-answers.test.ts',
  'test/cli/coding/edits/yaml.test.ts',
  'test/cli/chat/mcp.test.ts',
  'test/testing/faults.test.ts',
  'test/cli/coding/key-in-file.test.ts',
  'test/cli/coding/edits/json.test.ts',
  'test/property/secrets.test.ts',
  'test/cli/confirm/claims.test.ts',
  'test/cli/coding/edits/toml.test.ts',
  'test/cli/coding/sequences.test.ts',
  'test/types/accepted.test.ts',
  'test/docs/doc-examples.test.ts',
  'test/validation/validators.test.ts',
  'test/types/hovers.test.ts',
  'test/migration/tables.test.ts',
  'test/concurrency/calls.test.ts',
  'test/scripts/confirm-apply.test.ts',
  'test/docs/prose.test.ts',
  'test/streams/large.test.ts',
];

/** Files that share processes come last: a shared process ends as soon as a file that needs one of its own follows. */
function rankOf({ moduleId, project }: TestSpecification): number {
  if (!project.config.isolate) return longest.length + 1;
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
