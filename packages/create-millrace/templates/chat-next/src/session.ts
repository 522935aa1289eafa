import type { Authenticate } from '@millrace/server'

const SESSION = /(?:^|;\s*)session=([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:;|$)/

/**
 * A placeholder for sign-in: each browser is its own person, identified by a random id that only it knows.
 */
export function beginSession(request: Request): Response {
  const headers = new Headers()
  if (sessionOf(request) === undefined) {
    headers.set(
      'set-cookie',
      `session=${crypto.randomUUID()}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict`,
    )
  }
  return new Response(null, { status: 204, headers })
}

/** Identifies the person who sends the request. Stored data is only found by its owner. */
export const authenticate: Authenticate = (request) => {
  const resourceId = sessionOf(request)
  return resourceId === undefined ? undefined : { resourceId }
}

function sessionOf(request: Request): string | undefined {
  return SESSION.exec(request.headers.get('cookie') ?? '')?.[1]
}
