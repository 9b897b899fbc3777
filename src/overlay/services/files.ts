import { filesContent, filesDelete, filesList, filesUpload } from '../../generated/routes.ts';
import type { FileDeleted, FileList, FileObject, FileUploadRequest } from '../../generated/types.ts';
import { pagesOf } from '../call/operations/pages.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import { filtered, type QueryOf } from '../call/request/input.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import type { BinaryReply } from '../files/binary.ts';
import { requestBytes } from '../files/request-bytes.ts';
import { uploadLimits } from '../files/upload-limits.ts';
import { type UploadOptions, uploadInput } from '../files/upload-request.ts';
import { isFields, textOf } from '../json/json-value.ts';

/** Filter of the list of files. */
export type FileQuery = QueryOf<'files.list'>;

/** Files stored for batches, agents, the code interpreter and voice cloning. All methods except `upload` are documented for the china host only. */
export class Files {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Store a file: `files().upload(ctx, { file, purpose: 'batch' })`.
   *
   * `file` is a Blob or File, bytes, a web or Node stream, or a FileUpload (`fileFromPath` of `modelsvc/node` creates one from a path). It
   * is streamed, never held in memory, and sent with its length if that is known. A failed upload is retried, except from a stream that has
   * been opened. Size and kind are checked against the documented limits of `purpose` before sending, if they are known.
   *
   * @example
   * ```ts
   * const lines = new Blob(['{"custom_id":"1","method":"POST","url":"/v4/chat/completions","body":{}}']);
   * const { id } = await c.files().upload({ file: lines, filename: 'input.jsonl', purpose: 'batch' });
   * console.log(id);
   * ```
   */
  upload<Names extends PropertyKey = never>(request: Extensible<FileUploadRequest & UploadOptions, Names>): Promise<Received<FileObject>>;
  upload<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<FileUploadRequest & UploadOptions, Names>,
  ): Promise<Received<FileObject>>;
  upload(...given: Called<[request: FileUploadRequest & UploadOptions]>): Promise<Received<FileObject>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    const purpose = request?.purpose;
    const { isVendor } = this.#settings.endpoints.chat;
    const limit = isVendor && typeof purpose === 'string' && Object.hasOwn(uploadLimits.purpose, purpose) ? uploadLimits.purpose[purpose] : undefined;
    const fallbackName = purpose === 'batch' ? 'file.jsonl' : undefined;
    return requestJson(this.#settings, filesUpload, ctx, () => uploadInput(filesUpload, request, { limit, fallbackName }));
  }

  /** One page of the files of a purpose. While `has_more` is true, pass the last file's id as `after` for the next page; `listAll` does this. */
  list(query: FileQuery): Promise<Received<FileList>>;
  list(ctx: CallContext, query: FileQuery): Promise<Received<FileList>>;
  list(...given: Called<[query: FileQuery]>): Promise<Received<FileList>> {
    const [ctx, query] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, filesList, ctx, () => ({ parameters: filtered(query) }));
  }

  /** All files of a purpose, one page at a time as needed: `for await (const file of c.files().listAll(ctx, { purpose: 'batch' }))`. Throws a ReplyError if a cursor repeats or is missing. */
  listAll(query: FileQuery): AsyncGenerator<Received<FileObject>, void, undefined>;
  listAll(ctx: CallContext, query: FileQuery): AsyncGenerator<Received<FileObject>, void, undefined>;
  listAll(...given: Called<[query: FileQuery]>): AsyncGenerator<Received<FileObject>, void, undefined> {
    const [ctx, query] = contextFirst(given, given.length < 2);
    return pagesOf(filesList.id, ctx, query?.after, async (within, after) => {
      const page = await this.list(within, after === undefined ? query : { ...query, after });
      const items = page.data.filter(isFields);
      return { items, reply: page, next: page.has_more ? textOf(items.at(-1)?.id) : undefined };
    });
  }

  /** Delete a file. The reply to an unknown id is not documented. */
  delete(fileId: string): Promise<Received<FileDeleted>>;
  delete(ctx: CallContext, fileId: string): Promise<Received<FileDeleted>>;
  delete(...given: Called<[fileId: string]>): Promise<Received<FileDeleted>> {
    const [ctx, fileId] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, filesDelete, ctx, () => ({ parameters: { file_id: fileId } }));
  }

  /** Download the input, output or error file of a batch. Read the reply or call its `cancel()`. Files of other purposes cannot be downloaded. */
  content(fileId: string): Promise<Received<BinaryReply>>;
  content(ctx: CallContext, fileId: string): Promise<Received<BinaryReply>>;
  content(...given: Called<[fileId: string]>): Promise<Received<BinaryReply>> {
    const [ctx, fileId] = contextFirst(given, given.length < 2);
    return requestBytes(this.#settings, filesContent, ctx, () => ({ parameters: { file_id: fileId } }));
  }
}
