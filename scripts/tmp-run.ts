import { documentedSnippets, writeSnippets } from './snippets.ts'
const only = process.argv[2] ?? 'apps/docs'
const snippets = documentedSnippets().filter((s) => s.source.startsWith(only) && s.file === undefined)
const files = writeSnippets(snippets)
try {
  for (const p of await files.typeCheck()) console.log(`${p.source}:${p.line} ${p.message}`)
  for (const s of snippets.filter((s) => s.run)) {
    const p = await files.run(s)
    console.log(p ? `FAIL ${p.source}:${p.line}\n${p.message.slice(0, 1500)}` : `ok ${s.source}:${s.line}`)
  }
} finally { files.remove() }
