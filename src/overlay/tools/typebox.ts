/** A schema of typebox 1, which is JSON Schema. It is declared here so that typebox is no dependency. */
export interface TypeboxSchema {
  readonly '~kind': string;
}

interface Optional {
  readonly '~optional': unknown;
}

/** The type of the values of a typebox schema. It is `unknown` for parts that are not objects, arrays, unions, enums or scalars. */
export type TypeboxValue<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Branch)[] }
      ? TypeboxValue<Branch>
      : Schema extends { readonly properties: infer Properties }
        ? Flat<
            { [Name in keyof Properties as Properties[Name] extends Optional ? never : Name]: TypeboxValue<Properties[Name]> } & {
              [Name in keyof Properties as Properties[Name] extends Optional ? Name : never]?: TypeboxValue<Properties[Name]>;
            }
          >
        : Schema extends { readonly type: 'array'; readonly items: TypeboxSchema & infer Item }
          ? TypeboxValue<Item>[]
          : Schema extends { readonly type: infer Type extends keyof Scalars }
            ? Scalars[Type]
            : unknown;

type Flat<T> = { [Key in keyof T]: T[Key] };

interface Scalars {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}
