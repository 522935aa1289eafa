import { beginSession } from '../../src/session.ts'

export function POST(request: Request): Response {
  return beginSession(request)
}
