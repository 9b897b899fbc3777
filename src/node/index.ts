/** Uploads from and downloads to the file system: entry `modelsvc/node`. */
export type { FileUpload } from '../generated/types.ts';
export { type Downloadable, type DownloadedFile, type DownloadProgress, download, type FileDownloadOptions } from './download.ts';
export { fileFromPath } from './from-path.ts';
export { mediaTypeOf } from './media-type.ts';
export { type PageReply, pipeToResponse, type ToResponseOptions } from './page.ts';
export { checkPlace, type FilePlace, type PlaceOptions } from './place.ts';
