// TOML documents.
import { TextDraft } from './draft.ts';
import type { Open } from './edit.ts';
import { readToml } from './toml-read.ts';
import { set } from './toml-set.ts';
import { undo } from './toml-undo.ts';

export const openToml: Open = (text) => new TextDraft(text, { read: readToml, set, undo });
