/** Documented limits of one kind of file. */
export interface UploadLimit {
  readonly maxMB?: number;
  /** Allowed file name extensions in lower case, if documented. */
  readonly kinds?: readonly string[];
  /** Limit for images among the kinds, lower than `maxMB`. */
  readonly maxPictureMB?: number;
}

const documents = ['pdf', 'docx', 'doc', 'xls', 'xlsx', 'txt', 'png', 'jpg', 'jpeg', 'csv'];

/** Documented limits that a schema cannot express. Purposes that are not listed have no known limit. */
export const uploadLimits: {
  readonly transcription: UploadLimit;
  readonly purpose: Readonly<Record<string, UploadLimit>>;
} = {
  transcription: { maxMB: 25, kinds: ['wav', 'mp3'] },
  purpose: {
    batch: { maxMB: 100, kinds: ['jsonl'] },
    'code-interpreter': { maxMB: 20, maxPictureMB: 5, kinds: documents },
    agent: { maxMB: 20, maxPictureMB: 5, kinds: documents },
    'voice-clone-input': { maxMB: 10, kinds: ['mp3', 'wav'] },
  },
};

const pictures = ['png', 'jpg', 'jpeg'];

/** The limit that a file violates, as the rest of a message after the field's name. Undefined if no violation is detected. */
export function brokenLimit(limit: UploadLimit, filename: string | undefined, size: number | undefined): string | undefined {
  const kind = filename === undefined ? undefined : /\.([^.\\/]+)$/.exec(filename)?.[1]?.toLowerCase();
  if (kind !== undefined && limit.kinds && !limit.kinds.includes(kind)) return `must have one of the file name extensions ${limit.kinds.join(', ')}`;
  const isPicture = kind !== undefined && pictures.includes(kind);
  const maxMB = isPicture ? (limit.maxPictureMB ?? limit.maxMB) : limit.maxMB;
  return maxMB !== undefined && size !== undefined && size > maxMB * 1024 * 1024 ? `must be at most ${maxMB} MB` : undefined;
}

/** Maximum decoded size of base64 text or a data URI, in megabytes, by kind of content. */
export const base64Limits: Readonly<Record<'transcription' | 'layoutPicture' | 'layoutPDF' | 'cogvideoPicture' | 'viduPicture', number>> = {
  transcription: 25,
  layoutPicture: 10,
  layoutPDF: 50,
  cogvideoPicture: 5,
  viduPicture: 50,
};

/** True for an HTTP URL instead of content. */
export function isLink(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** True if base64 text, or the base64 of a data URI, decodes to more than `maxMB`. */
export function isOver(text: string, maxMB: number): boolean {
  const start = text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
  return Math.floor(((text.length - start) * 3) / 4) - 2 > maxMB * 1024 * 1024;
}
