// Makes what a command needs, when it needs it: the client, the key and the user's models.
import type { Client, Config, ModelRow } from 'modelsvc';
import type { CredentialSource } from './hosts.ts';

/** The rows of the user's models.yaml, and the path of the file. */
export interface OwnModels {
  readonly path: string;
  readonly rows: readonly ModelRow[];
}

/** `program.ts` hands these over, so that a command loads neither the library nor the store of keys before it uses them. */
export interface Makers {
  client(): Promise<Client>;
  credential(): Promise<CredentialSource>;
  models(): Promise<OwnModels>;
}

export class Factory {
  readonly #makers: Makers;
  #client: Promise<Client> | undefined;
  #credential: Promise<CredentialSource> | undefined;
  #models: Promise<OwnModels> | undefined;

  constructor(makers: Makers) {
    this.#makers = makers;
  }

  /** The client for the chosen account. Makes no request. Throws a CliError with exit code 3 if there is no key. `changes` cannot select another host. */
  client(changes: Pick<Config, 'budget' | 'concurrency' | 'hooks' | 'maxRetries'> = {}): Promise<Client> {
    this.#client ??= this.#makers.client();
    return Object.keys(changes).length === 0 ? this.#client : this.#client.then((client) => client.with(changes));
  }

  /** The key and its source. Does not load the library. */
  credential(): Promise<CredentialSource> {
    this.#credential ??= this.#makers.credential();
    return this.#credential;
  }

  /** The user's models, unchecked: the client checks them. Throws a CliError if the file cannot be read. */
  models(): Promise<OwnModels> {
    this.#models ??= this.#makers.models();
    return this.#models;
  }
}
