/** A schema of typebox 1, which is JSON Schema. It is declared here so that typebox is not a dependency. */
export interface TypeboxSchema {
  readonly '~kind': string;
}

/** The type of the values of a typebox schema. It is `unknown` for parts that are not objects, arrays, unions, enums or scalars. */
export type TypeboxValue<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Branch)[] }
      ? TypeboxValue<Branch>
      : Schema extends { readonly properties: infer Properties }
        ? {
            [Name in keyof Properties as Properties[Name] extends { readonly '~optional': unknown } ? never : Name]: TypeboxValue<Properties[Name]>;
          } & {
            [Name in keyof Properties as Properties[Name] extends { readonly '~optional': unknown } ? Name : never]?: TypeboxValue<Properties[Name]>;
          } extends infer Both
          ? { [Key in keyof Both]: Both[Key] }
          : never
        : Schema extends { readonly type: 'array'; readonly items: TypeboxSchema & infer Item }
          ? TypeboxValue<Item>[]
          : Schema extends { readonly type: 'string' }
            ? string
            : Schema extends { readonly type: 'number' | 'integer' }
              ? number
              : Schema extends { readonly type: 'boolean' }
                ? boolean
                : Schema extends { readonly type: 'null' }
                  ? null
                  : unknown;
