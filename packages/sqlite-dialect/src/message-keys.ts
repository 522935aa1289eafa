// Keys of messages are `resource << 32 | place`: those of a resource are one range.

/** The lowest key that a message of `:owner` may have. */
export const FIRST_KEY = '(SELECT key << 32 FROM millrace_resources WHERE id = :owner)'

/** The highest key that a message of `:owner` may have. */
export const LAST_KEY = '(SELECT key << 32 | 4294967295 FROM millrace_resources WHERE id = :owner)'
