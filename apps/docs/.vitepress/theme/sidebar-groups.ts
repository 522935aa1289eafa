// The sidebar as lists of links in `details`: they open without JavaScript, and no button is inside of another one, as in the
// component of VitePress that this one replaces.
import { useRoute } from 'vitepress'
import type { DefaultTheme } from 'vitepress/theme'
import { defineComponent, h, type PropType, type VNode } from 'vue'

type Item = DefaultTheme.SidebarItem

export default defineComponent({
  props: { items: { type: Array as PropType<Item[]>, required: true } },
  setup(props) {
    const route = useRoute()
    const isCurrent = ({ link }: Item): boolean => link === route.path.replace(/\.html$/, '')
    const group = ({ text, items = [], collapsed }: Item): VNode => {
      const open = collapsed !== true || items.some(isCurrent)
      // By its state, so that the group of a page that is opened elsewhere opens too.
      return h('details', { key: `${text} ${open}`, class: 'sidebar-group', open }, [
        h('summary', [text, h('span', { class: 'vpi-chevron-right' })]),
        h('ul', items.map(link)),
      ])
    }
    const link = (item: Item): VNode =>
      h('li', { key: item.link ?? item.text ?? '' }, [
        h('a', { href: item.link, 'aria-current': isCurrent(item) ? 'page' : undefined }, item.text),
      ])
    return () => props.items.map(group)
  },
})
