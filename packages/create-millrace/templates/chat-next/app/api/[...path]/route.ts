import { chatHandler } from '../../../src/chat-handler.ts'

const handle = (request: Request): Promise<Response> => chatHandler()(request)

export const dynamic = 'force-dynamic'
export { handle as DELETE, handle as GET, handle as PATCH, handle as POST }
