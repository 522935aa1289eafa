import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { siteLink } from '../src/links.ts'
import { llmsFull, llmsIndex } from '../src/llms.ts'
import { readSections, root } from '../src/pages.ts'

const sections = readSections()
const pages = sections.flatMap(({ pages }) => pages)
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { homepage: string }
const repository = manifest.homepage.replace('#readme', '')

export default defineConfig({
  title: 'Millrace',
  description: 'A TypeScript framework for guarded LLM agents.',
  lang: 'en',
  // The documents stay beside their code, where their snippets are tested.
  srcDir: '../..',
  srcExclude: ['**/CHANGELOG.md', '.changeset/**', '.github/**', '.snippets/**', 'README.md'],
  rewrites: (source) => {
    const page = pages.find((page) => page.source === source)
    return page ? `${page.route || 'index'}.md` : source
  },
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  cleanUrls: true,
  lastUpdated: false,
  appearance: true,
  head: [
    [
      'noscript',
      {},
      `<style>${readFileSync(new URL('theme/no-script.css', import.meta.url), 'utf8')}</style>`,
    ],
  ],
  markdown: {
    html: false,
    // The default themes have too little contrast on the background of code.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(markdown) {
      markdown.core.ruler.push('site-links', ({ tokens, env }) => {
        const source = String(env.realPath ?? env.path).slice(root.length + 1)
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null
          if (href !== null)
            token.attrSet('href', siteLink(href, { source, pages, repository: `${repository}/tree/main` }))
        }
      })
    },
  },
  buildEnd({ outDir }) {
    writeFileSync(join(outDir, 'llms.txt'), llmsIndex(sections))
    writeFileSync(join(outDir, 'llms-full.txt'), llmsFull(sections))
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Concepts', link: '/concepts/loop' },
      { text: 'Guides', link: '/guides/next' },
      { text: 'Guards', link: '/guards' },
      { text: 'Memory', link: '/memory' },
      { text: 'API', link: '/reference/index.html', target: '_self' },
    ],
    sidebar: sections.map(({ title, pages }) => ({
      text: title,
      collapsed: !['Start', 'Concepts', 'Guides'].includes(title),
      items: pages
        .filter(({ route }) => route !== '')
        .map(({ title, route }) => ({ text: title, link: `/${route}` })),
    })),
    socialLinks: [{ icon: 'github', link: repository }],
    footer: { message: 'Apache-2.0' },
  },
  vite: {
    // The search index, which is loaded on demand, has all words of the documents.
    build: { chunkSizeWarningLimit: 2_000 },
    // Documents are outside of this folder: this resolves Vue for their compiled code.
    resolve: {
      alias: [
        {
          find: /^.*\/VPSidebarGroup\.vue$/,
          replacement: fileURLToPath(new URL('theme/sidebar-groups.ts', import.meta.url)),
        },
        {
          find: /^vue\/server-renderer$/,
          replacement: fileURLToPath(import.meta.resolve('vue/server-renderer')),
        },
        {
          find: /^vue$/,
          replacement: fileURLToPath(import.meta.resolve('vue/dist/vue.runtime.esm-bundler.js')),
        },
      ],
    },
  },
})
