/** The media type as readers of replies know it: in small letters, without parameters, and one for all that is JSON. */
export function mediaTypeOf(written: string): string {
  const type = essenceOf(written);
  return /^application\/[\w.+-]+\+json$/.test(type) ? 'application/json' : type;
}

/** The media type for the wire. Its parameters stay where its readers may need them: in JSON of a kind of its own. */
export function wireTypeOf(written: string): string {
  const type = essenceOf(written);
  return type === mediaTypeOf(written) ? type : [type, ...written.split(';').slice(1)].join(';');
}

function essenceOf(written: string): string {
  return (written.split(';')[0] ?? '').trim().toLowerCase();
}
