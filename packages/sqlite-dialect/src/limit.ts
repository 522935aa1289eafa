/**
 * At most `:limit` rows. The sign is there for the planner: SQLite makes a plan for the value of a parameter that stands alone
 * behind `LIMIT`, and so prepares the statement anew for each call.
 */
export const LIMIT = 'LIMIT +:limit'
