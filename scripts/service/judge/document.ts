// The document and the claims of this repository, as the judgement of exchanges reads them.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Route } from '../../../src/generated/routes.ts';
import { fieldsOf, isFields, listOf } from '../../../src/overlay/json/json-value.ts';
import { namesOf, stepInto } from '../../../src/overlay/json/pointer.ts';
import type { Claim } from '../../generate/claims/claim.ts';
import type { SchemaNode } from './strict-schema.ts';

export interface PlacedSchema {
  /** Place in the document. */
  readonly place: string;
  /** Undefined if there is none, for instance for bytes. */
  readonly schema: SchemaNode | undefined;
}

/** The document of the repository. */
export function currentDocument(): SpecDocument {
  return new SpecDocument(fieldsOf(parse(readFileSync(new URL('../../../spec/openapi.yaml', import.meta.url), 'utf8'), { maxAliasCount: -1 })));
}

/** Claims of the repository by id. */
export function currentClaims(): ReadonlyMap<string, Claim> {
  const { claims } = JSON.parse(readFileSync(new URL('../../../docs/evidence.json', import.meta.url), 'utf8')) as {
    readonly claims: readonly Claim[];
  };
  return new Map(claims.map((claim) => [claim.id, claim]));
}

export class SpecDocument {
  readonly #value: SchemaNode;

  constructor(value: SchemaNode) {
    this.#value = value;
  }

  get schemas(): SchemaNode {
    return this.at('#/components/schemas').node;
  }

  component(name: string): PlacedSchema {
    const place = `#/components/schemas/${name}`;
    return { place, schema: this.at(place).node };
  }

  operation({ method, path }: Route): DocumentOperation | undefined {
    const place = `${stepInto('#/paths', path)}/${method.toLowerCase()}`;
    const { node } = this.at(place);
    return isFields(node['responses']) ? new DocumentOperation(this, place, node) : undefined;
  }

  resolved(node: unknown, place: string): PlacedNode {
    if (!isFields(node)) return { node: {}, place };
    const { $ref: ref } = node;
    return typeof ref === 'string' ? this.at(ref) : { node, place };
  }

  at(place: string): PlacedNode {
    let node: unknown = this.#value;
    for (const name of namesOf(place)) node = fieldsOf(node)[name];
    return { node: fieldsOf(node), place };
  }
}

interface PlacedNode {
  readonly node: SchemaNode;
  readonly place: string;
}

/** An operation of the document. */
export class DocumentOperation {
  readonly place: string;
  readonly query: ReadonlySet<string>;
  /** An empty reply is a success. */
  readonly emptyReply: boolean;
  readonly statuses: readonly string[];
  readonly #document: SpecDocument;
  readonly #node: SchemaNode;

  constructor(document: SpecDocument, place: string, node: SchemaNode) {
    this.#document = document;
    this.#node = node;
    this.place = place;
    this.emptyReply = listOf(node['x-expected']).includes(null);
    this.statuses = Object.keys(fieldsOf(node['responses']));
    const item = document.at(place.slice(0, place.lastIndexOf('/'))).node;
    const parameters = [item['parameters'], node['parameters']].flatMap(listOf);
    const named = parameters.map((one) => document.resolved(one, '').node);
    this.query = new Set(named.flatMap(({ in: where, name }) => (where === 'query' ? [String(name)] : [])));
  }

  /** Body of the request in JSON. */
  get request(): PlacedSchema {
    const { node, place } = this.#document.resolved(this.#node['requestBody'], `${this.place}/requestBody`);
    return schemaOf(node, place, 'application/json', 'schema');
  }

  /** The response of a status. Another success has the form of the documented one, another failure the form of the default response. */
  response(status: number | 'default'): { readonly place: string; readonly content: SchemaNode } {
    const responses = fieldsOf(this.#node['responses']);
    const other = status !== 'default' && status < 400 ? '200' : 'default';
    const key = responses[String(status)] === undefined ? other : String(status);
    const { node, place } = this.#document.resolved(responses[key], `${this.place}/responses/${key}`);
    return { place, content: fieldsOf(node['content']) };
  }

  /** JSON of the response of a status. */
  schema(status: number | 'default'): PlacedSchema {
    const { place, content } = this.response(status);
    return schemaOf({ content }, place, 'application/json', 'schema');
  }

  /** An event of the stream. */
  get events(): PlacedSchema {
    const { place, content } = this.response(200);
    return schemaOf({ content }, place, 'text/event-stream', 'x-event-schema');
  }
}

function schemaOf({ content }: SchemaNode, place: string, media: string, key: string): PlacedSchema {
  const found = fieldsOf(fieldsOf(content)[media])[key];
  return { place: `${stepInto(`${place}/content`, media)}/${key}`, schema: isFields(found) ? found : undefined };
}
