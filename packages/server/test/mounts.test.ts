import { join } from 'node:path'
import { startServer } from '../mounts/started-server.ts'
import { testMount } from '../mounts/test-mount.ts'

for (const name of ['node', 'express', 'fastify', 'hono']) {
  const example = join(import.meta.dirname, '../mounts', `${name}.ts`)
  testMount(name, { start: () => startServer(process.execPath, ['--conditions=@millrace/source', example]) })
}
