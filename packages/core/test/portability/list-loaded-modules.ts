// A program of its own: prints which modules importing core resolves, and which running an agent adds to them.
import { registerHooks } from 'node:module'

const resolved = new Set<string>()

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolution = nextResolve(specifier, context)
    resolved.add(resolution.url)
    return resolution
  },
})

await import('@millrace/core')
const imported = [...resolved]
resolved.clear()

const { ask } = await import('./minimal-agent.ts')
const { generated } = await ask('What is the weather?')
console.log(
  JSON.stringify({ imported, added: [...resolved].filter((url) => !imported.includes(url)), generated }),
)
