import type { FileSource } from '../../generated/types.ts';
import type { CallInput } from '../call/request/build-call.ts';
import { isFields } from '../errors/json-value.ts';
import { Problem } from '../errors/problem.ts';
import { baseName, type FormField, type FormFile, MultipartBody } from './multipart.ts';
import type { OnProgress } from './progress.ts';
import { brokenLimit, type UploadLimit } from './upload-limits.ts';
import { uploadSource } from './upload-source.ts';

/** Options of an upload request besides its wire fields. They are not sent as fields. */
export interface UploadOptions {
  /** File name to send; a directory before it is removed. Default: the name of the File or FileUpload, else `file` with a suitable extension. */
  readonly filename?: string | undefined;
  /** Media type of the file. Default: the type of the Blob or FileUpload, else `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /**
   * Called while the file is sent, with the bytes passed to the network and the size of the file if known. A retry restarts at 0.
   * Errors it throws are ignored. In browsers it is not called for a Blob or bytes, because they do not report progress.
   */
  readonly onProgress?: OnProgress | undefined;
}

/** Properties of the file of an operation. */
export interface FileFacts {
  readonly limit?: UploadLimit | undefined;
  /** Name for a file without a name. */
  readonly fallbackName?: string | undefined;
}

/** Converts a request with a file to the input of a call: the wire fields to validate and the form to send. */
export function uploadInput(request: object, facts: FileFacts = {}): CallInput {
  // The validation of the body rejects other values.
  if (!isFields(request)) return { body: request };
  // A form cannot contain null, so a null field counts as absent.
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined && value !== null));
  const { filename, contentType, onProgress, ...body } = given as UploadOptions & Record<string, unknown>;
  if (filename !== undefined && typeof filename !== 'string') throw new Problem('filename', 'must be a string');
  if (onProgress !== undefined && typeof onProgress !== 'function') throw new Problem('onProgress', 'must be a function');
  const parts = Object.entries(body).flatMap(([name, value]): (FormField | FormFile)[] => {
    if (name !== 'file') return fieldsOf(name, value);
    const source = uploadSource(name, value as FileSource);
    const named = filename ?? source.name;
    const broken = facts.limit && brokenLimit(facts.limit, named, source.size);
    if (broken !== undefined) throw new Problem(name, broken);
    // An invalid type of a Blob is replaced; only an invalid `contentType` of the caller is an error.
    const type = contentType ?? (isMediaType(source.type) ? source.type : 'application/octet-stream');
    if (!isMediaType(type)) throw new Problem('contentType', 'must be a media type, for instance audio/wav');
    return [{ name, source, filename: baseName(named ?? facts.fallbackName ?? 'file'), type }];
  });
  return { body, upload: new MultipartBody(parts, onProgress) };
}

function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[\x20-\x7e]*)?$/.test(value);
}

/** A list becomes one field per entry, the form that the service expects. */
function fieldsOf(name: string, value: unknown): FormField[] {
  if (Array.isArray(value)) return value.map((entry, index) => ({ name, text: textOf(`${name}[${index}]`, entry) }));
  return [{ name, text: textOf(name, value) }];
}

function textOf(path: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value)) return String(value);
  throw new Problem(path, 'must be a string, a number, a boolean or an array of these, because the request is sent as a form');
}
