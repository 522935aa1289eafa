/**
 * Limits a query to `:limit` rows. The unary plus is for the query planner: with a bare parameter after
 * `LIMIT`, SQLite plans for its value, and prepares the statement again for each call.
 */
export const LIMIT = 'LIMIT +:limit'
