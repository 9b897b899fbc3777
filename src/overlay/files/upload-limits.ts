/** What the service documents of one kind of file. */
export interface UploadLimit {
  readonly maxMB?: number;
  /** File name endings, lower case, where the service names them. */
  readonly kinds?: readonly string[];
  /** A lower bound for pictures among the kinds. */
  readonly maxPictureMB?: number;
}

const documents = ['pdf', 'docx', 'doc', 'xls', 'xlsx', 'txt', 'png', 'jpg', 'jpeg', 'csv'];

/** Documented limits that a schema cannot hold. Values that are not named here have no limit known. */
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

/** The limit that a file breaks, as the end of a sentence about it; undefined when it breaks none that can be seen. */
export function brokenLimit(limit: UploadLimit, filename: string | undefined, size: number | undefined): string | undefined {
  const kind = filename === undefined ? undefined : /\.([^.\\/]+)$/.exec(filename)?.[1]?.toLowerCase();
  if (kind !== undefined && limit.kinds && !limit.kinds.includes(kind)) return `must be of kind ${limit.kinds.join(', ')}, by its file name`;
  const isPicture = kind !== undefined && pictures.includes(kind);
  const maxMB = isPicture ? (limit.maxPictureMB ?? limit.maxMB) : limit.maxMB;
  return maxMB !== undefined && size !== undefined && size > maxMB * 1024 * 1024 ? `must have at most ${maxMB} MB` : undefined;
}

/** Megabytes that a base64 text or data URI may have once decoded, by what it is. */
export const base64Limits: Readonly<Record<'transcription' | 'layoutPicture' | 'layoutPDF' | 'cogvideoPicture' | 'viduPicture', number>> = {
  transcription: 25,
  layoutPicture: 10,
  layoutPDF: 50,
  cogvideoPicture: 5,
  viduPicture: 50,
};

/** True for text that is a link, not content. */
export function isLink(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** True when a base64 text, or the one in a data URI, decodes to more than `maxMB`. */
export function isOver(text: string, maxMB: number): boolean {
  const start = text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
  return Math.floor(((text.length - start) * 3) / 4) - 2 > maxMB * 1024 * 1024;
}
