// Cleans up after dropped objects: those garbage-collected before the caller left them or read them to the end.

const registry = typeof FinalizationRegistry === 'undefined' ? undefined : new FinalizationRegistry<() => void>((onDropped) => onDropped());

/** Call `onDropped`, which must not refer to `owner`, if `owner` is garbage-collected before `forgetDropped(token)`. */
export function whenDropped(owner: object, token: object, onDropped: () => void): void {
  registry?.register(owner, onDropped, token);
}

export function forgetDropped(token: object): void {
  registry?.unregister(token);
}
