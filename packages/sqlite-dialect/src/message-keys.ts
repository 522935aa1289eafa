// Keys of messages are `resource << 32 | place`: those of a resource are one range. An owner that has nothing has the range of
// no key: where a bound is NULL, FTS5 takes it for none.

/** The lowest key that a message of `:owner` may have. */
export const FIRST_KEY = 'coalesce((SELECT key << 32 FROM millrace_resources WHERE id = :owner), 0)'

/** The highest key that a message of `:owner` may have. */
export const LAST_KEY =
  'coalesce((SELECT key << 32 | 4294967295 FROM millrace_resources WHERE id = :owner), -1)'
