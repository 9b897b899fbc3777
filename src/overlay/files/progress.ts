import { quietly } from '../hooks/safety.ts';

/** Receives the progress of an upload or a download: bytes of the file sent or received, and its size if known. */
export type OnProgress = (bytes: number, totalBytes: number | undefined) => void;

/** Errors of `onProgress` are ignored, because they must not fail the transfer. */
export function report(onProgress: OnProgress | undefined, bytes: number, totalBytes: number | undefined): void {
  quietly(() => onProgress?.(bytes, totalBytes));
}
