import { quietly } from '../hooks/safety.ts';

/** The progress of an upload or a download. */
export interface TransferProgress {
  /** Bytes of the file that were sent or received. */
  readonly bytes: number;
  /** Size of the file, if it is known. */
  readonly total: number | undefined;
}

/** Receives the progress of an upload or a download. */
export type OnProgress = (progress: TransferProgress) => void;

/** Errors of `onProgress` are ignored, because they must not fail the transfer. */
export function report(onProgress: OnProgress | undefined, bytes: number, total: number | undefined): void {
  quietly(() => onProgress?.({ bytes, total }));
}
