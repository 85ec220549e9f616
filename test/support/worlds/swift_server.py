"""Runs OpenStack Swift with its S3 API on loopback, in one process, until it is killed.

Usage: swift_server.py FOLDER PORT SECRET. The access key is test:tester. Needs Debian's swift-proxy, swift-account,
swift-container and swift-object, and a file system with extended attributes. It says READY when it listens.
"""
import os
import sys

folder, port, secret = sys.argv[1], int(sys.argv[2]), sys.argv[3]
os.makedirs(folder + '/devices/d1', exist_ok=True)
with open(folder + '/swift.conf', 'w') as settings:
    settings.write('[swift-hash]\nswift_hash_path_suffix = tests\n[storage-policy:0]\nname = one\ndefault = yes\n')

from swift.common import utils

utils.set_swift_dir(folder)
import eventlet
import eventlet.wsgi

eventlet.monkey_patch()
from swift.common import wsgi
from swift.common.http import is_success
from swift.common.ring import RingBuilder
from swift.common.swob import HTTPServiceUnavailable
from swift.proxy.controllers import base

find_container = base.Controller.container_info


def container_info(self, account, container, req):
    """Says 503 while the container cannot be asked for, where Swift says 404: S3 never denies that a bucket exists."""
    req.environ.setdefault('swift.infocache', {})
    info = base.get_container_info(dict(req.environ, PATH_INFO=f'/v1/{account}/{container}'), self.app)
    if not is_success(info['status']) and info['status'] != 404:
        raise HTTPServiceUnavailable(request=req)
    return find_container(self, account, container, req)


base.Controller.container_info = container_info

COMMON = f"""
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
disable_fallocate = true
log_level = ERROR
"""

PROXY = f"""{COMMON}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo versioned_writes proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
error_suppression_interval = 1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = {secret} .admin
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
min_segment_size = 1
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
"""
for name in ('catch_errors', 'gatekeeper', 'healthcheck', 'listing_formats', 'bulk', 'copy', 'slo', 'dlo', 'versioned_writes'):
    PROXY += f'[filter:{name}]\nuse = egg:swift#{name}\n'
# Objects of many small parts are otherwise sent at a part a second.
PROXY = PROXY.replace('egg:swift#slo\n', 'egg:swift#slo\nrate_limit_under_size = 0\n')

pool = eventlet.GreenPool(1000)


def serve(name, text, socket):
    path = f'{folder}/{name}.conf'
    with open(path, 'w') as settings:
        settings.write(text)
    app = wsgi.loadapp(path, global_conf={'log_name': name})
    protocol = wsgi.SwiftHttpProtocol
    quiet = open(os.devnull, 'w')
    pool.spawn_n(eventlet.wsgi.server, socket, app, quiet, custom_pool=pool, protocol=protocol, debug=False)


stores = {name: eventlet.listen(('127.0.0.1', 0)) for name in ('account', 'container', 'object')}
for name, socket in stores.items():
    ring = RingBuilder(1, 1, 1)
    ring.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1.0, 'ip': '127.0.0.1', 'port': socket.getsockname()[1], 'device': 'd1'})
    ring.rebalance()
    ring.get_ring().save(f'{folder}/{name}.ring.gz')
for name, socket in stores.items():
    serve(name, f'{COMMON}\n[pipeline:main]\npipeline = {name}-server\n[app:{name}-server]\nuse = egg:swift#{name}\n', socket)
serve('proxy', PROXY, eventlet.listen(('127.0.0.1', port)))
print('READY', flush=True)
pool.waitall()
