// A message key is `resource << 32 | position`, so the messages of a resource are one key range. For an
// unknown owner the bounds form an empty range, because FTS5 ignores a bound that is NULL.

/** The lowest possible key of a message of `:owner`. */
export const FIRST_KEY = 'coalesce((SELECT key << 32 FROM millrace_resources WHERE id = :owner), 0)'

/** The highest possible key of a message of `:owner`. */
export const LAST_KEY =
  'coalesce((SELECT key << 32 | 4294967295 FROM millrace_resources WHERE id = :owner), -1)'
