/** Keeps the result for the latest text: the edits of a file read each text several times in a row. The result must not be changed. */
export function latestOf<T>(read: (text: string) => T): (text: string) => T {
  let latest: { readonly text: string; readonly result: T } | undefined;
  return (text) => {
    if (latest?.text !== text) latest = { text, result: read(text) };
    return latest.result;
  };
}
