import type { Route } from '../../generated/routes.ts';
import type { FileSource } from '../../generated/types.ts';
import { type CallInput, jsonText } from '../call/request/build-call.ts';
import type { BodyInput, BodyOf } from '../call/request/input.ts';
import { isFields } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';
import { misplaced } from '../validation/misplaced.ts';
import { baseName, type FormField, type FormFile, isFile, MultipartBody } from './multipart.ts';
import type { OnProgress } from './progress.ts';
import { brokenLimit, type UploadLimit } from './upload-limits.ts';
import { uploadSource } from './upload-source.ts';

/** Options of an upload request besides its wire fields. They are not sent as fields. */
export interface UploadOptions {
  /**
   * File name to send; a directory before it is removed. Default: the name of the File or FileUpload, else `file` with a suitable extension.
   * Several files take names and types of their own only.
   */
  readonly filename?: string | undefined;
  /** Media type of the file. Default: the type of the Blob or FileUpload, else `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /**
   * Called while files are sent, with their bytes passed to the network and their size if known. A retry restarts at 0.
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

/** Converts a request with files to the input of a call: the wire fields to validate and the form to send. */
export function uploadInput<Operation>(route: Route<Operation>, request: BodyOf<Operation> & UploadOptions, facts?: FileFacts): BodyInput<Operation> {
  return formInput(route, request as object, facts) as BodyInput<Operation>;
}

/** The same for an operation that is known at run time only. */
export function formInput({ parts: forms = {} }: Pick<Route, 'parts'>, request: object, facts: FileFacts = {}): CallInput {
  // The validation of the body rejects other values.
  if (!isFields(request)) return { body: request };
  // A form cannot contain null, so a null field counts as absent.
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined && value !== null));
  const { filename, contentType, onProgress, ...body } = given as UploadOptions & Record<string, unknown>;
  if (filename !== undefined && typeof filename !== 'string') throw new Problem('filename', 'must be a string');
  if (onProgress !== undefined && typeof onProgress !== 'function') throw new Problem('onProgress', 'must be a function');
  const parts = Object.entries(body).flatMap(([name, value]): (FormField | FormFile)[] => {
    const { files, type: ownType } = forms[name] ?? {};
    const partOf = (path: string, one: unknown): FormField | FormFile => {
      // Only a field of JSON is an object with a type.
      if (!files) return { name, text: ownType && typeof one === 'object' ? jsonText(one) : textOf(path, one), type: ownType };
      const source = uploadSource(path, one as FileSource);
      const named = filename ?? source.name;
      const broken = facts.limit && brokenLimit(facts.limit, named, source.size);
      if (broken !== undefined) throw new Problem(path, broken);
      // An invalid type of a Blob is replaced; only an invalid `contentType` of the caller is an error.
      const type = contentType ?? (isMediaType(source.type) ? source.type : (ownType ?? 'application/octet-stream'));
      if (!isMediaType(type)) throw new Problem('contentType', 'must be a media type, for instance audio/wav');
      return { name, source, filename: baseName(named ?? facts.fallbackName ?? 'file'), type };
    };
    // A list becomes one part for each entry, the form that the service expects.
    return Array.isArray(value) && files !== 'one' ? value.map((entry, index) => partOf(`${name}[${index}]`, entry)) : [partOf(name, value)];
  });
  if ((filename ?? contentType) !== undefined && parts.filter(isFile).length > 1)
    throw new Problem(filename === undefined ? 'contentType' : 'filename', 'is for one file: pass a File or FileUpload for each');
  return { body, upload: new MultipartBody(parts, onProgress) };
}

function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[\x20-\x7e]*)?$/.test(value);
}

function textOf(path: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint' || Number.isFinite(value)) return String(value);
  throw (
    misplaced(undefined, { [path]: value }) ??
    new Problem(path, 'must be a string, a number, a boolean or an array of these, because the request is sent as a form')
  );
}
