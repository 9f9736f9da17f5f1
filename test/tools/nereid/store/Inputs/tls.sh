# tls.sh FOLDER WORKER: requests units from a server with TLS on a free port, with a certificate for localhost.
set -euo pipefail
cd "$1"
worker=$2
program=$(command -v redis-server || command -v redis-check-rdb)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout ca.key -out ca.pem -subj /CN=authority 2> log
openssl req -newkey rsa:2048 -nodes -keyout server.key -out request.pem -subj /CN=localhost 2> log
printf 'subjectAltName=DNS:localhost' > names
openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem 2> log
(exec -a redis-server "$program" --port 0 --tls-port "$port" --tls-cert-file server.pem --tls-key-file server.key \
  --tls-ca-cert-file ca.pem --tls-auth-clients no --save "" --bind 127.0.0.1 > log 2>&1) &
server=$!
trap 'kill $server' EXIT
for _ in $(seq 100); do
  (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null && break
  sleep 0.05
done
request() { # NAME HOST SCHEME NUMBER
  echo "$1: $("$worker" request - "$3://$2:$port" /dev/null 1 1000 1 "$4" 50)"
}
SSL_CERT_FILE=$PWD/ca.pem request trusted localhost rediss 100
SSL_CERT_FILE=/dev/null request untrusted localhost rediss 20
SSL_CERT_FILE=$PWD/ca.pem request "other host" 127.0.0.1 rediss 20
request "without TLS" localhost redis 20
