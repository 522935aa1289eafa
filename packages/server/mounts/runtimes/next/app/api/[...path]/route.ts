import { handler } from '../../../../../handler.ts'

export const dynamic = 'force-dynamic'
export { handler as DELETE, handler as GET, handler as PATCH, handler as POST }
