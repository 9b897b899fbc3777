// An account as it is shown. The key is masked.
import type { StoredAccount } from '../../accounts/format.ts';
import type { Screen } from '../../terminal/screen.ts';

export interface AccountView {
  readonly name: string;
  readonly active: boolean;
  readonly region: string;
  readonly kind: string | null;
  readonly base_url: string | null;
  /** Of a team only. */
  readonly organization?: string;
  readonly project?: string;
  readonly key: string;
  readonly key_fingerprint: string;
  readonly store: string;
  readonly created_at: string;
  readonly note: string | null;
  readonly hosts?: readonly string[];
}

export function viewOf(name: string, account: StoredAccount, active: string | undefined): AccountView {
  const { region, kind, baseUrl, organization, project, keyMask, keyFingerprint, store, createdAt, note } = account;
  return {
    name,
    active: name === active,
    region,
    kind: kind ?? null,
    base_url: baseUrl ?? null,
    ...(organization !== undefined && { organization }),
    ...(project !== undefined && { project }),
    key: keyMask,
    key_fingerprint: keyFingerprint,
    store,
    created_at: createdAt,
    note: note ?? null,
  };
}

/** One `field: value` a line, without the fields that have no value. */
export function viewText(screen: Screen, view: AccountView): string {
  const lines = Object.entries(view).filter(([, value]) => value !== null);
  return screen.clean(lines.map(([field, value]) => `${field.replaceAll('_', ' ')}: ${Array.isArray(value) ? value.join(', ') : value}`).join('\n'));
}
