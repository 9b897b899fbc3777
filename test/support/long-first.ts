import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { freshBuild } from './fresh-build.ts';

/** The longest files, in order. One that began last would keep the other processors waiting. */
export const longest = [
  'test/property/confused-replies.test.ts',
  'test/cli/odd-replies.test.ts',
  'test/scripts/generate.test.ts',
  'test/scripts/edits.test.ts',
  'test/scripts/edited-calls.test.ts',
  'test/call/warm-sockets.test.ts',
  'test/package/package.test.ts',
  'test/call/reply-bounds.test.ts',
  'test/property/linear-time.test.ts',
  'test/cli/every-command.test.ts',
  'test/docs/fences.test.ts',
  'test/call/sockets.test.ts',
  'test/observe/exits.test.ts',
  'test/cli/accounts/writers.test.ts',
  'test/cli/coding/other-writers.test.ts',
  'test/fetch/every-fault.test.ts',
  'test/cli/coding/interrupted.test.ts',
  'test/property/tool-schema.test.ts',
  'test/call/early-answers.test.ts',
  'test/cli/coding/edits/laws.test.ts',
  'test/cli/chat/mcp.test.ts',
  'test/testing/faults.test.ts',
  'test/cli/coding/key-in-file.test.ts',
  'test/property/secrets.test.ts',
  'test/cli/coding/sequences.test.ts',
  'test/types/programs.test.ts',
  'test/docs/doc-examples.test.ts',
  'test/validation/validators.test.ts',
  'test/types/hovers.test.ts',
  'test/docs/compiled.test.ts',
  'test/docs/why.test.ts',
  'test/concurrency/calls.test.ts',
  'test/scripts/confirm-apply.test.ts',
  'test/streams/large.test.ts',
];

/** Files that share processes and take seconds: commands as processes, real waits, large inputs. `npm run test:quick` leaves them out. */
export const slow = [
  'test/cli/coding/canary.test.ts',
  'test/scripts/typed-methods.test.ts',
  'test/cli/chat/surfaces.test.ts',
  'test/runtime/collected-signals.test.ts',
  'test/cli/media/open.test.ts',
  'test/cli/log/logs.test.ts',
  'test/cli/coding/rivals.test.ts',
  'test/property/abort-anywhere.test.ts',
  'test/store/writers.test.ts',
  'test/cli/chat/inputs.test.ts',
  'test/cli/habits.test.ts',
  'test/cli/chat/conversations.test.ts',
  'test/proxy/processes.test.ts',
  'test/tool-schema/growth.test.ts',
  'test/scripts/chaos.test.ts',
  'test/concurrency/leaks.test.ts',
  'test/cli/coding/run.test.ts',
  'test/cli/tools.test.ts',
  'test/runtime/checks.test.ts',
  'test/tool-schema/corpus.test.ts',
  'test/examples/answers.test.ts',
  'test/examples/pages.test.ts',
  'test/examples/programs.test.ts',
  'test/cli/coding/doctor.test.ts',
  'test/cli/coding/load-mcp.test.ts',
  'test/cli/coding/load-again.test.ts',
  'test/cli/coding/preview.test.ts',
  'test/cli/media/batch-runs.test.ts',
  'test/cli/option-words.test.ts',
  'test/services/effort.test.ts',
  'test/cli/accounts/store.test.ts',
  'test/cli/chat/effort.test.ts',
  'test/cli/accounts/accounts.test.ts',
  'test/cli/chat/map-batch.test.ts',
  'test/package/downloads.test.ts',
  'test/cli/questions.test.ts',
  'test/cli/accounts/keychain.test.ts',
  'test/cli/accounts/binding.test.ts',
  'test/docs/mock-recipes.test.ts',
  'test/package/readme.test.ts',
  'test/scripts/drift.test.ts',
  'test/cli/log/writers.test.ts',
  'test/contract/every-operation.test.ts',
  'test/streams/faults.test.ts',
  'test/surfaces/service-quirks.test.ts',
  'test/files/binary.test.ts',
  'test/batch/batch.test.ts',
  'test/debug/curl.test.ts',
  'test/tools/approval.test.ts',
  'test/streams/collected.test.ts',
  'test/streams/partial.test.ts',
  'test/validation/vendor-ranges.test.ts',
  'test/cli/chat/repl.test.ts',
  'test/cli/chat/painting.test.ts',
  'test/call/previous-failure.test.ts',
  'test/cli/coding/load.test.ts',
  'test/cli/chat/map-kept.test.ts',
  'test/scripts/confirm.test.ts',
  'test/cli/chat/map.test.ts',
  'test/contract/prism-cli.test.ts',
  'test/contract/roots.test.ts',
  'test/cli/media/terminal.test.ts',
  'test/cli/data/quota.test.ts',
  'test/cli/chat/repl-editing.test.ts',
  'test/cli/media/free-way.test.ts',
  'test/cli/coding/bad-input.test.ts',
  'test/cli/service-text.test.ts',
  'test/tools/mcp.test.ts',
  'test/package/public-surface.test.ts',
  'test/cli/chat/secrets.test.ts',
  'test/package/notices.test.ts',
  'test/cli/chat/terminal.test.ts',
  'test/cli/media/downloads.test.ts',
  'test/fetch/streams.test.ts',
  'test/cli/accounts/prompt.test.ts',
  'test/cli/chat/map-progress.test.ts',
];

/** Files that share processes come last: a shared process ends as soon as a file that needs one of its own follows. */
function rankOf({ moduleId, project }: TestSpecification): number {
  if (!project.config.isolate) return longest.length + (project.name === 'quick' ? 2 : 1);
  const rank = longest.findIndex((file) => moduleId.endsWith(file));
  return rank < 0 ? longest.length : rank;
}

/** The order of the files in a run. It is decided before the first process starts, so that a stale build is made again here. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    freshBuild(
      this.ctx.config.root,
      files.map(({ moduleId }) => moduleId),
    );
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}
