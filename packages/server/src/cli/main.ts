#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { Memory } from '@millrace/memory'
import { createHandler } from '../handler.ts'
import type { Authenticate } from '../options.ts'
import type { ServerConfig } from '../server-config.ts'
import { demoAgent } from './demo-agent.ts'
import { CONFIG_FILES, loadConfig } from './load-config.ts'
import { serve } from './serve.ts'

const USAGE = `Usage: millrace-server [options]

Serves agents and guarded models over HTTP. Without a configuration, it serves the agent 'demo',
whose model follows a script and needs no key.

  --config <file>   a file that exports defineConfig({ … }) from @millrace/server.
                    Default: ${CONFIG_FILES.join(', ')} in the current folder
  --host <address>  Default: 127.0.0.1
  --port <number>   Default: 3000; 0 for any free port
  --help

Environment: MILLRACE_KEY is the key that clients send, if the configuration has no authenticate.`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      config: { type: 'string' },
      host: { type: 'string' },
      port: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    console.log(USAGE)
    return
  }
  const config = await loadConfig(process.cwd(), values.config)
  const host = values.host ?? config?.host ?? '127.0.0.1'
  const port = portOf(values.port ?? config?.port ?? 3000)
  const { authenticate, key } = signIn(config)
  const options = config ?? demo()
  const { host: _, port: __, closeTimeoutMs: ___, agents = {}, ...handling } = options
  const handler = createHandler({ ...handling, agents, authenticate })
  await handler.warmUp()
  const server = await serve(handler, { host, port })

  const names = [options.agents, options.proxy, options.embeddings].flatMap((group) =>
    Object.keys(group ?? {}),
  )
  console.log(`Serving ${names.join(', ')} at ${server.url}`)
  if (key !== undefined) {
    console.log(`Key: ${key}

curl ${server.url}/v1/chat/completions -H 'authorization: Bearer ${key}' -H 'content-type: application/json' \\
  -d '{ "model": "${names[0]}", "messages": [{ "role": "user", "content": "Hello" }] }'`)
  }
  const signals = ['SIGINT', 'SIGTERM'] as const
  await new Promise<void>((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve())
  })
  // A second signal ends the process immediately.
  for (const signal of signals) process.removeAllListeners(signal)
  await server.close(() => handler.close({ timeoutMs: config?.closeTimeoutMs ?? 10_000 }))
}

function demo(): ServerConfig {
  const memory = new Memory()
  return { agents: { demo: demoAgent(memory) }, memory }
}

/** `authenticate` of the configuration, or a check of the server's key. */
function signIn(config: ServerConfig | undefined): { authenticate: Authenticate; key?: string } {
  if (config?.authenticate !== undefined) return { authenticate: config.authenticate }
  const key = process.env.MILLRACE_KEY || crypto.randomUUID()
  const expected = `Bearer ${key}`
  const authenticate: Authenticate = (request) =>
    request.headers.get('authorization') === expected ? { resourceId: 'local' } : undefined
  return process.env.MILLRACE_KEY ? { authenticate } : { authenticate, key }
}

function portOf(value: string | number): number {
  const port = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value
  if (typeof port === 'number' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new Error(`The port is '${value}'. Use a number from 0 to 65535.`)
}

try {
  await main()
} catch (error) {
  console.error(`Error: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
