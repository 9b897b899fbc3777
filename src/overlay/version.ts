/** Version of this package, as the default User-Agent carries it; a test holds it against package.json. */
export const version = '0.1.0';
