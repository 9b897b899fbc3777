// YAML documents.
import { TextDraft } from './draft.ts';
import type { Open } from './edit.ts';
import { readYaml } from './yaml-read.ts';
import { set } from './yaml-set.ts';
import { undo } from './yaml-undo.ts';

export const openYaml: Open = (text) => new TextDraft(text, { read: readYaml, set, undo });
