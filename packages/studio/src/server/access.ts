import { timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { secureHeaders } from 'hono/secure-headers'
import { StudioError } from '../studio-error.ts'

export interface AccessOptions {
  token: string
  /** The port of the server. */
  port: () => number
  maxBodyBytes: number
}

/** The allowed host names. This prevents DNS rebinding. */
const HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The content security policy of the page: only its own files, no inline script or style, no requests to other origins. */
const PAGE_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  manifestSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
  objectSrc: ["'none'"],
}

/** Sets the security headers of every response. */
export function securityHeaders(): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: PAGE_POLICY,
    crossOriginEmbedderPolicy: 'require-corp',
    crossOriginOpenerPolicy: 'same-origin',
    crossOriginResourcePolicy: 'same-origin',
    referrerPolicy: 'no-referrer',
    xFrameOptions: 'DENY',
    strictTransportSecurity: false,
    permissionsPolicy: { camera: [], microphone: [], geolocation: [], payment: [], usb: [] },
  })
}

/** Refuses requests with another host name, or from another origin. */
export function ownOrigin({ port }: Pick<AccessOptions, 'port'>): MiddlewareHandler {
  return async (context, next) => {
    const host = context.req.header('host') ?? ''
    if (!isOwnHost(host, port())) {
      throw new StudioError(
        'ORIGIN_REFUSED',
        `The host '${host.slice(0, 80)}' is not allowed. Use the link that was printed.`,
      )
    }
    const origin = context.req.header('origin')
    const site = context.req.header('sec-fetch-site')
    const isForeign = origin !== undefined && origin !== `http://${host}`
    // A link on another site may open the page, but nothing else.
    const opensPage =
      context.req.header('sec-fetch-mode') === 'navigate' && !context.req.path.startsWith('/api/')
    if (isForeign || (site !== undefined && site !== 'same-origin' && site !== 'none' && !opensPage)) {
      throw new StudioError('ORIGIN_REFUSED', 'The request comes from another origin.')
    }
    return next()
  }
}

/** Refuses requests without the token. */
export function withToken({ token }: Pick<AccessOptions, 'token'>): MiddlewareHandler {
  const expected = Buffer.from(`Bearer ${token}`)
  return async (context, next) => {
    const given = Buffer.from(context.req.header('authorization') ?? '')
    if (given.length === expected.length && timingSafeEqual(given, expected)) return next()
    throw new StudioError(
      'TOKEN_INVALID',
      'The token is missing or outdated. Open the link that was printed last.',
    )
  }
}

/** Refuses bodies that are not JSON or are too large. */
export function limitedBody({ maxBodyBytes }: Pick<AccessOptions, 'maxBodyBytes'>): MiddlewareHandler {
  const limit = bodyLimit({
    maxSize: maxBodyBytes,
    onError: () =>
      new StudioError(
        'BODY_TOO_LARGE',
        `The body is larger than ${maxBodyBytes} bytes. Send a smaller one.`,
      ).toResponse(),
  })
  return async (context: Context, next) => {
    if (context.req.method === 'GET' || context.req.method === 'DELETE') return next()
    const type = context.req.header('content-type') ?? ''
    if (!/^application\/json(?:;|$)/i.test(type)) {
      throw new StudioError(
        'REQUEST_INVALID',
        `The content-type is '${type.slice(0, 80)}'. Send application/json.`,
      )
    }
    return limit(context, next)
  }
}

function isOwnHost(host: string, port: number): boolean {
  const colon = host.lastIndexOf(':')
  const hasPort = colon > host.lastIndexOf(']')
  const name = hasPort ? host.slice(0, colon) : host
  const given = hasPort ? host.slice(colon + 1) : '80'
  return HOSTS.has(name.toLowerCase()) && given === String(port)
}
