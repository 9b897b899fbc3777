import type { CallInput } from './call.ts';
import { Part } from './part.ts';
import type { FileFacts } from './upload-request.ts';

const forms = /* @__PURE__ */ new Part(() => import('./upload-request.ts'));

/** A request with a file as the input of a call: wire fields to validate, and the form to send. What reads and encodes files is loaded here. */
export async function uploadInput(operation: string, request: object, facts?: FileFacts): Promise<CallInput> {
  // As it was when the call was made. Not all the way down: a file may be an object of the caller's own making.
  const kept = typeof request === 'object' && request !== null && !Array.isArray(request) ? { ...request } : request;
  const { formInput } = forms.here ?? (await forms.load(operation));
  return formInput(operation, kept, facts);
}
