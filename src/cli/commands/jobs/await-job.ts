import type { AsyncResult } from 'modelsvc';
import type { Cli } from '../../cli.ts';
import type { Input } from '../../input/input.ts';
import { type Target, targetWords } from '../../transfer/download.ts';
import { waitFor } from '../../transfer/waiting.ts';

/** Waits for a chat, image or video job. `command` are the words of its wait command. */
export async function awaitJob(
  cli: Cli,
  input: Input,
  { id, command, target }: { readonly id: string; readonly command: readonly string[]; readonly target: Target | undefined },
): Promise<AsyncResult> {
  const client = await cli.client();
  return waitFor(
    cli,
    input,
    { resume: [...command, id, ...targetWords(target)], stateText: ({ task_status: status }: AsyncResult) => status },
    (options) => client.waitForResult(cli.ctx, id, options),
  );
}
