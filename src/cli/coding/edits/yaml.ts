// YAML documents.
import { type DocumentFormat, TextDraft } from './draft.ts';
import type { Open } from './edit.ts';
import { readYaml } from './yaml-read.ts';
import { set } from './yaml-set.ts';
import { undo } from './yaml-undo.ts';

export const yamlFormat: DocumentFormat = { read: readYaml, set, undo };

export const openYaml: Open = (text) => new TextDraft(text, yamlFormat);
