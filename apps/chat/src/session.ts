import type { Authenticate } from '@millrace/server'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'

const NAME = 'fernhill-session'
const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Replaces a login: each browser is a separate user, identified by a random secret id. */
export function beginSession(context: Context): void {
  if (ID.test(getCookie(context, NAME) ?? '')) return
  setCookie(context, NAME, crypto.randomUUID(), { path: '/', httpOnly: true, sameSite: 'Strict' })
}

export const authenticate: Authenticate = (request) => {
  const id = parse(request.headers.get('cookie') ?? '', NAME)[NAME]
  return id !== undefined && ID.test(id) ? { resourceId: id } : undefined
}
