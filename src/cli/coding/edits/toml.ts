// TOML documents.
import { type DocumentFormat, TextDraft } from './draft.ts';
import type { Open } from './edit.ts';
import { readToml } from './toml-read.ts';
import { set } from './toml-set.ts';
import { undo } from './toml-undo.ts';

export const tomlFormat: DocumentFormat = { read: readToml, set, undo };

export const openToml: Open = (text) => new TextDraft(text, tomlFormat);
