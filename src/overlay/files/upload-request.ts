import type { FileSource } from '../../generated/types.ts';
import type { CallInput } from '../call/call.ts';
import { Problem } from '../errors/problem.ts';
import { baseName, type FormField, type FormFile, MultipartBody, type OnProgress } from './multipart.ts';
import { brokenLimit, type UploadLimit } from './upload-limits.ts';
import { uploadSource } from './upload-source.ts';

/** What an upload request may hold besides its wire fields. None of these is sent as a field. */
export interface UploadOptions {
  /** File name on the wire; a path before it is cut off. Default: the name of the File or FileUpload, else `file` with the ending that fits. */
  readonly filename?: string;
  /** Media type of the file's part. Default: the type of the Blob or FileUpload, else `application/octet-stream`. */
  readonly contentType?: string;
  /**
   * Called while the file is sent, with the bytes handed to the network and the file's size where it is known. A retry starts over from 0.
   * What it throws is ignored. Browsers send a Blob or bytes without telling how far they are: there it is not called.
   */
  readonly onProgress?: OnProgress;
}

/** What an operation knows of its file. */
export interface FileFacts {
  readonly limit?: UploadLimit | undefined;
  /** Name of a file that has none. */
  readonly fallbackName?: string | undefined;
}

/** A request with a file as the input of a call: wire fields to validate, and the form to send. */
export function uploadInput(request: object, facts: FileFacts = {}): CallInput {
  // Anything else is refused by the check of the body.
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return { body: request };
  const { filename, contentType, onProgress, ...body } = request as UploadOptions & Record<string, unknown>;
  if (filename !== undefined && typeof filename !== 'string') throw new Problem('filename', 'must be a string');
  if (onProgress !== undefined && typeof onProgress !== 'function') throw new Problem('onProgress', 'must be a function');
  const parts = Object.entries(body).flatMap(([name, value]): (FormField | FormFile)[] => {
    if (value === undefined || value === null) return [];
    if (name !== 'file') return fieldsOf(name, value);
    const source = uploadSource(name, value as FileSource);
    const given = filename ?? source.name;
    const broken = facts.limit && brokenLimit(facts.limit, given, source.size);
    if (broken !== undefined) throw new Problem(name, broken);
    // A Blob may call itself anything; only what the caller asks for by name is worth an error.
    const type = contentType ?? (isMediaType(source.type) ? source.type : 'application/octet-stream');
    if (!isMediaType(type)) throw new Problem('contentType', 'must be a media type');
    return [{ name, source, filename: baseName(given ?? facts.fallbackName ?? 'file'), type }];
  });
  return { body, upload: new MultipartBody(parts, onProgress) };
}

function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[\x20-\x7e]*)?$/.test(value);
}

/** A list becomes one field per entry, as the service reads it. */
function fieldsOf(name: string, value: unknown): FormField[] {
  if (Array.isArray(value)) return value.map((entry, index) => ({ name, text: textOf(`${name}[${index}]`, entry) }));
  return [{ name, text: textOf(name, value) }];
}

function textOf(path: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value)) return String(value);
  throw new Problem(path, 'must be text, a number, a boolean or a list of them: this request is a form');
}
