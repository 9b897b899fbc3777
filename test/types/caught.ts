// Compiled only: what the helpers take in a strict `catch`.
import { finishError, responseInfo, toolRun } from 'modelsvc';

export function told(caught: unknown): readonly unknown[] {
  return [toolRun(caught)?.transcript, responseInfo(caught)?.requestId, finishError(caught)?.reason];
}
