import { describe, expect, it } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { answeringServer } from '../support/answering-server.ts';
